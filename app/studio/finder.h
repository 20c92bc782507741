#pragma once

#include "app/studio/overlay.h"
#include "views/common/run_catalog.h"
#include "views/common/selection.h"

namespace kurve::studio {

/// Every command that can be used now, for the palette.
[[nodiscard]] std::vector<Palette::Item> commandItems(const views::CommandRegistry& commands);
/// Every run that is not in the trash, the newest first; choosing one selects it.
[[nodiscard]] std::vector<Palette::Item> runItems(const views::RunCatalog& catalog,
                                                  views::Selection& selection);

}  // namespace kurve::studio
