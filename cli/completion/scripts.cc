#include "cli/completion/scripts.h"

namespace sumac::cli {

constinit const std::string_view kBashCompletion =
    R"(# Completes sumac in bash. To load it in every shell, add to ~/.bashrc:
#   source <(sumac completion bash)
_sumac() {
  local words=() word i
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    # Readline makes "=" a word of its own.
    if [[ ${#words[@]} -gt 0 && ($word == = || ${COMP_WORDS[i-1]} == =) ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done
  local lines=()
  mapfile -t lines < <("${COMP_WORDS[0]/#\~/$HOME}" __complete "${words[@]}" 2>/dev/null)
  COMPREPLY=()
  [[ ${#lines[@]} -gt 0 ]] || return 0
  if [[ ${lines[-1]} == :0 ]]; then compopt -o default 2>/dev/null; fi
  unset 'lines[-1]'
  if [[ ${words[-1]} == *=* ]]; then
    COMPREPLY=("${lines[@]#*=}")
  else
    COMPREPLY=("${lines[@]}")
  fi
}
complete -F _sumac sumac
)";

constinit const std::string_view kZshCompletion = R"(#compdef sumac
# Completes sumac in zsh. To load it in every shell, add to ~/.zshrc after compinit:
#   source <(sumac completion zsh)
_sumac() {
  local -a lines
  lines=("${(@f)$("${(Q)words[1]}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  local files=$lines[-1]
  lines[-1]=()
  (( $#lines )) && compadd -- "${lines[@]}"
  [[ $files == :0 ]] && _files
}
if [[ $funcstack[1] == _sumac ]]; then _sumac "$@"; else compdef _sumac sumac; fi
)";

constinit const std::string_view kFishCompletion =
    R"(# Completes sumac in fish. To load it in every shell:
#   sumac completion fish > ~/.config/fish/completions/sumac.fish
function __sumac_complete
  set -l words (commandline -opc)
  set -l word (commandline -ct)
  set -l lines ($words[1] __complete $words[2..] "$word" 2>/dev/null)
  set -q lines[1]; or return
  test $lines[-1] = :0; and __fish_complete_path "$word"
  set -e lines[-1]
  string join -- \n $lines
end
complete -c sumac -f -a '(__sumac_complete)'
)";

}  // namespace sumac::cli
