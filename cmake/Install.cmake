# What `cmake --install` and packages put where. All lies relative to the programs, so that an
# installation may be moved as a whole: see base/core/installation.h.
install(TARGETS sumac sumac-worker sumac-server sumac-operator DESTINATION bin)
install(PROGRAMS $<TARGET_FILE_DIR:sumac>/kubectl-sumac $<TARGET_FILE_DIR:sumac>/kubectl_complete-sumac
  DESTINATION bin)
install(TARGETS sumac_kernels_baseline sumac_kernels_avx2 sumac_kernels_avx512
  LIBRARY DESTINATION lib/sumac)
# Beside the kernels, which it loads.
install(TARGETS sumac_library LIBRARY DESTINATION lib/sumac)
install(FILES libsumac/sumac.h DESTINATION include)
install(DIRECTORY python/sumac DESTINATION share/sumac/python PATTERN __pycache__ EXCLUDE)

install(DIRECTORY examples/data DESTINATION share/sumac)
install(DIRECTORY examples DESTINATION share/sumac PATTERN data EXCLUDE)
install(DIRECTORY helm/sumac DESTINATION share/sumac/helm)
install(DIRECTORY deploy DESTINATION share/sumac)
install(FILES LICENSE NOTICE README.md CHANGELOG.md DESTINATION share/doc/sumac)
install(DIRECTORY docs DESTINATION share/doc/sumac)

# Manual pages and completions are what the programs say.
install(CODE "
  set(build \"${PROJECT_BINARY_DIR}\")
  set(programs \"$<TARGET_FILE_DIR:sumac>\")
  set(version \"${PROJECT_VERSION}\")")
install(SCRIPT cmake/InstallManual.cmake)
