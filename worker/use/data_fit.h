#pragma once

#include "base/core/result.h"
#include "engine/data/csv_columns.h"
#include "engine/data/dataset.h"
#include "engine/data/samples.h"
#include "engine/model_file/model_file.h"

namespace sumac::worker {

/// Makes data those of a model: the normalization of its training, the numbers of its classes and
/// words, the places of its columns. A word that it does not know becomes `<unk>`. Fails with
/// kInvalid where they are of another kind or shape, or have classes that it does not know.
Result<void> fitToModel(Dataset& dataset, const ModelFile& model);

/// The part of it for tables: columns and categories are matched by name, other columns are left
/// out. Fails with kInvalid where one is missing, is of the other kind, or has a category that the
/// model does not know.
Result<void> fitColumns(Images& images, const CsvColumns& columns, const CsvColumns& model);

}  // namespace sumac::worker
