#pragma once

#include <filesystem>

#include "app/studio/panels.h"
#include "app/studio/window/overlay.h"
#include "views/common/data/run_catalog.h"
#include "views/common/shell/selection.h"

namespace kurve::studio {

using ShowPanel = std::function<void(const QString& panel)>;

/// Every command, for the palette; unavailable ones with the reason. One of a view that is not visible calls
/// `show` first.
[[nodiscard]] std::vector<Palette::Item> commandItems(const views::CommandRegistry& commands,
                                                      const ShowPanel& show);
/// Every panel of the window; choosing one calls `show`.
[[nodiscard]] std::vector<Palette::Item> panelItems(const ShowPanel& show);
/// Every run that is not in the trash, the newest first; choosing one selects it.
[[nodiscard]] std::vector<Palette::Item> runItems(const views::RunCatalog& catalog,
                                                  views::Selection& selection);
/// The recent projects that still exist, but `current`; choosing one calls `open` with its folder.
[[nodiscard]] std::vector<Palette::Item> projectItems(const std::filesystem::path& current,
                                                      const std::function<void(const QString&)>& open);

}  // namespace kurve::studio
