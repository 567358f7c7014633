# CPack runs this when the files of a package are laid out: adds what is not ours.
set(bundle ${CPACK_SUMAC_SOURCE}/tools/bundle.sh ${CPACK_TEMPORARY_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX})
if(CPACK_GENERATOR STREQUAL TGZ)
  list(APPEND bundle --libraries)
endif()
execute_process(COMMAND ${bundle} COMMAND_ERROR_IS_FATAL ANY)
