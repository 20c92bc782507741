#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/config/run_config.h"
#include "core/train/model_family.h"

namespace kurve::models {

/// Every family of this build, in the order of the studio's list.
[[nodiscard]] const std::vector<std::unique_ptr<train::ModelFamily>>& families();
/// Before the first call of the others.
void testOnlyAddFamily(std::unique_ptr<train::ModelFamily> family);
/// nullptr if unknown.
[[nodiscard]] const train::ModelFamily* findFamily(const std::string& id);
/// For RunConfig::parse.
[[nodiscard]] SchemaLookup schemaLookup();

}  // namespace kurve::models
