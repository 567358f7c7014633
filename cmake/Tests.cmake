# sumac_add_unit_tests(<library> <source>...)
#
# Builds sumac_<library>_unit_tests from the sources, links sumac::<library>, and registers it with
# ctest as unit.<library> under the label "unit". A further library is linked by target_link_libraries.
function(sumac_add_unit_tests library)
  set(target sumac_${library}_unit_tests)
  add_executable(${target} ${PROJECT_SOURCE_DIR}/tests/support/main.cc ${ARGN})
  target_compile_definitions(${target} PRIVATE BOOST_TEST_DYN_LINK)
  target_link_libraries(${target}
    PRIVATE sumac::${library} sumac::test_support sumac::options Boost::unit_test_framework)
  add_test(NAME unit.${library} COMMAND ${target} --log_level=warning)
  set_tests_properties(unit.${library} PROPERTIES LABELS unit TIMEOUT 120)
endfunction()
