# The manual page and the completions of shells, which the program prints of itself.

# skald_manual(<folder>): the files, as they are installed, below the folder; made again with the program.
function(skald_manual folder)
  set(outputs "")
  foreach(row "man/man1/skald.1:man" "bash-completion/completions/skald:completions bash" "zsh/site-functions/_skald:completions zsh"
      "fish/vendor_completions.d/skald.fish:completions fish")
    string(REGEX MATCH "^(.*):(.*)$" matched ${row})
    set(output ${folder}/${CMAKE_MATCH_1})
    separate_arguments(command UNIX_COMMAND ${CMAKE_MATCH_2})
    cmake_path(GET output PARENT_PATH parent)
    file(MAKE_DIRECTORY ${parent})
    add_custom_command(OUTPUT ${output} COMMAND skald_main ${command} > ${output} DEPENDS skald_main VERBATIM)
    list(APPEND outputs ${output})
  endforeach()
  add_custom_target(skald_manual ALL DEPENDS ${outputs})
endfunction()
