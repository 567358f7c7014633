# Libraries that read bytes from outside or run threads: CI tests these under the address and
# undefined behaviour sanitizers (target sumac_sanitized_tests, label "sanitized"), and what all
# readers of foreign bytes do with the inputs of tests/fuzz; `make asan` tests all.
set(SUMAC_SANITIZED_LIBRARIES
  base_keys base_log base_process base_yaml job_document job_model job_profile
  exchange_wire exchange_link exchange_sums exchange_member exchange_client engine_checkpoint libsumac_program
  engine_pictures)
add_custom_target(sumac_sanitized_tests)

# A library that was renamed must not leave the list in silence. Called after all unit tests.
function(sumac_check_sanitized_libraries)
  foreach(library IN LISTS SUMAC_SANITIZED_LIBRARIES)
    if(NOT TARGET sumac_${library}_unit_tests)
      message(FATAL_ERROR "SUMAC_SANITIZED_LIBRARIES names ${library}, which has no unit tests")
    endif()
  endforeach()
endfunction()

# sumac_add_unit_tests(<library> <source>...)
#
# Builds sumac_<library>_unit_tests from the sources, links sumac::<library>, and registers it with
# ctest as unit.<library> under the label "unit". A further library is linked by target_link_libraries.
function(sumac_add_unit_tests library)
  set(target sumac_${library}_unit_tests)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target}
    PRIVATE sumac::${library} sumac::test_main sumac::test_support sumac::test_options)
  sumac_precompile(${target} TEST)
  add_test(NAME unit.${library} COMMAND ${target} --log_level=warning)
  # Properties draw the same cases each time, so that a test fails in the change that broke it, and
  # nowhere else; `make plants` draws others.
  set_tests_properties(unit.${library} PROPERTIES LABELS unit TIMEOUT 600 ENVIRONMENT RC_PARAMS=seed=1)
  if(library IN_LIST SUMAC_SANITIZED_LIBRARIES)
    set_property(TEST unit.${library} APPEND PROPERTY LABELS sanitized)
    add_dependencies(sumac_sanitized_tests ${target})
  endif()
endfunction()
