# At installation: asks the programs in ${programs} for their help and their completions, and
# installs them as manual pages of ${version} and for the shells. Works in ${build}/share.
set(here ${CMAKE_CURRENT_LIST_DIR})
set(pages ${build}/share/man/man1)
file(REMOVE_RECURSE ${pages})
file(MAKE_DIRECTORY ${pages})

# makePages(<command>): the page of a command, as "sumac models", and those of its commands.
function(makePages command)
  string(REPLACE " " ";" words ${command})
  string(REPLACE " " "-" page ${command})
  list(POP_FRONT words program)
  execute_process(COMMAND ${programs}/${program} ${words} --help OUTPUT_VARIABLE help
    COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${build}/share/help.txt "${help}")
  execute_process(
    COMMAND awk -v name=${command} -v version=${version} -f ${here}/manual.awk ${build}/share/help.txt
    OUTPUT_FILE ${pages}/${page}.1 COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "\n  [a-z]+  " names "${help}")
  foreach(name IN LISTS names)
    string(STRIP "${name}" name)
    makePages("${command} ${name}")
  endforeach()
endfunction()

foreach(program sumac sumac-worker sumac-server sumac-operator)
  makePages(${program})
endforeach()
file(INSTALL DESTINATION ${CMAKE_INSTALL_PREFIX}/share/man TYPE DIRECTORY FILES ${pages})

# installCompletion(<shell> <folder> <name>)
function(installCompletion shell folder name)
  set(script ${build}/share/completions/${name})
  execute_process(COMMAND ${programs}/sumac completion ${shell} OUTPUT_FILE ${script}
    COMMAND_ERROR_IS_FATAL ANY)
  file(INSTALL DESTINATION ${CMAKE_INSTALL_PREFIX}/share/${folder} TYPE FILE FILES ${script})
endfunction()

file(MAKE_DIRECTORY ${build}/share/completions)
# Debian's zsh reads another folder for packages than for what administrators install.
set(zsh_folder zsh/site-functions)
if(CMAKE_INSTALL_PREFIX MATCHES "/usr$")
  set(zsh_folder zsh/vendor-completions)
endif()
installCompletion(bash bash-completion/completions sumac)
installCompletion(zsh ${zsh_folder} _sumac)
installCompletion(fish fish/vendor_completions.d sumac.fish)
