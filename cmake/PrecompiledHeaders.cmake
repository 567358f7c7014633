# The headers that most files read, compiled once: a file then costs about half of the time.
#
# sumac_precompile(<target> LIBRARY|TEST) lets a target use them. There are two, because code of
# libraries is compiled with -fPIC and code of programs with -fPIE. Each file still includes what it
# needs: preset clang switches precompiled headers and unity files off and finds what is missing.
set(SUMAC_COMMON_HEADERS
  <algorithm> <array> <atomic> <charconv> <chrono> <condition_variable> <cstdint> <cstring> <deque>
  <filesystem> <functional> <map> <memory> <mutex> <optional> <set> <span> <sstream> <stop_token>
  <string> <string_view> <thread> <utility> <variant> <vector> <nlohmann/json.hpp>)

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cc CONTENT "")
add_library(sumac_precompiled_library OBJECT ${PROJECT_BINARY_DIR}/precompiled.cc)
target_link_libraries(sumac_precompiled_library PRIVATE sumac::options)
target_precompile_headers(sumac_precompiled_library PRIVATE ${SUMAC_COMMON_HEADERS})

if(BUILD_TESTING)
  add_library(sumac_precompiled_test OBJECT ${PROJECT_BINARY_DIR}/precompiled.cc)
  set_target_properties(sumac_precompiled_test PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(sumac_precompiled_test PRIVATE -fPIE)
  target_link_libraries(sumac_precompiled_test PRIVATE sumac::test_options)
  target_compile_definitions(sumac_precompiled_test
    PRIVATE BOOST_ALL_NO_LIB BOOST_TEST_DYN_LINK BOOST_UNIT_TEST_FRAMEWORK_DYN_LINK)
  target_precompile_headers(sumac_precompiled_test
    PRIVATE ${SUMAC_COMMON_HEADERS} <boost/test/unit_test.hpp>)
endif()

function(sumac_precompile target kind)
  string(TOLOWER ${kind} kind)
  target_precompile_headers(${target} REUSE_FROM sumac_precompiled_${kind})
endfunction()
