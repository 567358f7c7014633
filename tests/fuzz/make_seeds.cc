// Writes the inputs of tests/fuzz/corpus that the project's own encoders make, from the root of the
// repository: sumac_fuzz_seeds FOLDER. The same each time. Those that people write are text files
// beside them.
#include <iostream>

#include "tests/fuzz/seeds/corpus.h"

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: sumac_fuzz_seeds FOLDER\n";
    return 2;
  }
  const sumac::fuzz::Corpus corpus(arguments[1]);
  sumac::fuzz::addMessages(corpus);
  sumac::fuzz::addData(corpus);
  sumac::fuzz::addCheckpoints(corpus);
  sumac::fuzz::addTexts(corpus);
  return 0;
}
