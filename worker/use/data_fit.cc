#include "worker/use/data_fit.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/model_file/describe.h"

namespace sumac::worker {
namespace {

Error misfit(const std::string& what) {
  return Error{ErrorCode::kInvalid, what};
}

/// The model's number of each class of the data.
Result<std::vector<std::uint16_t>> classNumbers(const Images& images, const ModelFile& model) {
  std::vector<std::uint16_t> numbers(static_cast<std::size_t>(images.classes));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<std::uint16_t>(i);
  const bool have_names = !images.class_names.empty() && !model.class_names.empty();
  if (!have_names) {
    if (images.classes <= model.network.classes) return numbers;
    return misfit("the data have " + std::to_string(images.classes) + " classes, the model tells " +
                  std::to_string(model.network.classes) + " apart");
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto known = std::ranges::find(model.class_names, images.class_names[i]);
    if (known == model.class_names.end()) {
      return misfit("the data have the class '" + images.class_names[i] +
                    "', which the model does not know: leave its samples out, or train with them");
    }
    numbers[i] = static_cast<std::uint16_t>(known - model.class_names.begin());
  }
  return numbers;
}

Result<void> fitImages(Images& images, const ModelFile& model) {
  if (images.test.shape != model.network.input) {
    return misfit("the model takes " + model::toString(model.network.input) +
                  " samples, the data have " + model::toString(images.test.shape));
  }
  const auto numbers = classNumbers(images, model);
  if (!numbers) return numbers.error();
  for (Samples* const split : {&images.train, &images.validation, &images.test}) {
    split->normalization = model.normalization;
    for (std::uint16_t& label : split->labels)
      label = (*numbers)[label];
  }
  return {};
}

Result<void> fitText(Text& text, const ModelFile& model) {
  if (text.vocabulary == model.vocabulary) return {};
  if (model.vocabulary.empty()) {
    if (std::ssize(text.vocabulary) <= model.network.vocabulary()) return {};
    return misfit("the model knows " + std::to_string(model.network.vocabulary()) +
                  " words, the data have " + std::to_string(text.vocabulary.size()));
  }
  std::unordered_map<std::string_view, std::int32_t> known;
  for (const std::string& word : model.vocabulary)
    known.emplace(word, static_cast<std::int32_t>(known.size()));
  const auto unknown = known.find(kUnknown);
  std::vector<std::int32_t> numbers;
  for (const std::string& word : text.vocabulary) {
    const auto found = known.find(word);
    if (found == known.end() && unknown == known.end())
      return misfit("the data have the word '" + word + "', which the model does not know");
    numbers.push_back(found == known.end() ? unknown->second : found->second);
  }
  for (auto* const split : {&text.train, &text.valid, &text.test})
    for (std::int32_t& token : *split)
      token = numbers[static_cast<std::size_t>(token)];
  return {};
}

}  // namespace

Result<void> fitToModel(Dataset& dataset, const ModelFile& model) {
  const ModelTask task = taskOf(dataset);
  if (task != model.task) {
    return misfit("the model is for " + std::string(toString(model.task)) + ", the data are for " +
                  std::string(toString(task)));
  }
  if (task == ModelTask::kText) return fitText(dataset.text, model);
  const bool have_columns = !dataset.columns.columns.empty() && !model.columns.columns.empty();
  if (have_columns) {
    if (auto fits = fitColumns(dataset.images, dataset.columns, model.columns); !fits) return fits;
    dataset.columns = model.columns;
  }
  return fitImages(dataset.images, model);
}

}  // namespace sumac::worker
