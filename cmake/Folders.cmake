# sumac_add_folders(<folder>...)
#
# Adds the sub-folders in the given order, lower layers first.
function(sumac_add_folders)
  foreach(folder IN LISTS ARGN)
    add_subdirectory(${folder})
  endforeach()
endfunction()

# sumac_add_library(<name> SOURCES <file>... HEADERS <file>... [PUBLIC <lib>...] [PRIVATE <lib>...])
#
# One folder, one static library: target sumac_<name>, alias sumac::<name>.
function(sumac_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;PUBLIC;PRIVATE" ${ARGN})
  set(target sumac_${name})
  add_library(${target} STATIC)
  add_library(sumac::${name} ALIAS ${target})
  target_sources(${target}
    PRIVATE ${ARG_SOURCES}
    PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${ARG_HEADERS})
  target_link_libraries(${target} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE} sumac::options)
  sumac_precompile(${target} LIBRARY)
endfunction()
