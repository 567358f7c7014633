// sumac-bench-pictures FOLDER THREADS [SIDE]: how long a folder of classes takes to load, scaled to
// squares of SIDE if that is given. Prints one JSON line; bench/rivals/pil_folder.py prints the
// same of Pillow.
#include <charconv>
#include <chrono>
#include <cstdio>
#include <span>
#include <string_view>

#include "engine/data/class_folder.h"

namespace {

/// 0 where it is no number.
int numberOf(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

int main(int count, char** values) {
  using Clock = std::chrono::steady_clock;
  const std::span arguments(values, static_cast<std::size_t>(count));
  if (count < 3 || count > 4 || numberOf(arguments[2]) < 1) {
    std::fputs("usage: sumac-bench-pictures FOLDER THREADS [SIDE]\n", stderr);
    return 2;
  }
  sumac::worker::ClassFolderOptions options{.channels = 3, .threads = numberOf(arguments[2])};
  if (count == 4) {
    const int side = numberOf(arguments[3]);
    options.resize = sumac::worker::PictureSize{side, side};
  }
  const auto begin = Clock::now();
  const auto loaded = sumac::worker::loadClassFolder(arguments[1], options);
  const std::chrono::duration<double> seconds = Clock::now() - begin;
  if (!loaded) {
    std::fprintf(stderr, "%s\n", loaded.error().message.c_str());
    return 1;
  }
  const auto pictures = static_cast<double>(loaded->images.train.count());
  std::printf("{\"pictures\": %.0f, \"seconds\": %.3f, \"picturesPerSecond\": %.0f}\n", pictures,
              seconds.count(), pictures / seconds.count());
  return 0;
}
