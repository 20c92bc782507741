#pragma once

#include <QIcon>
#include <QString>
#include <functional>

#include "views/common/theme/theme.h"

namespace kurve::views {

/// The icon of a run's style, cached by `kind` (its drawing function), style and zoom. Qt caches the pixmaps
/// of every icon up to ten megabytes: an icon that is created at each painting of a list fills them. GUI
/// thread.
[[nodiscard]] QIcon cachedIcon(const char* kind, const RunStyle& style,
                               const std::function<QIcon(const RunStyle&)>& make);

}  // namespace kurve::views
