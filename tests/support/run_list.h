// A listing of runs as the catalog hands it out.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/store/project.h"

namespace kurve::test {

inline store::RunList listOf(std::vector<store::RunSummary> runs) {
    return std::make_shared<const std::vector<store::RunSummary>>(std::move(runs));
}

}  // namespace kurve::test
