#pragma once

#include <QIcon>
#include <QString>
#include <functional>

#include "views/common/theme.h"

namespace kurve::views {

/// The icon of a run's style, made once for each `kind` (what draws it), style and zoom. Qt keeps what it has
/// painted of every icon until ten megabytes are full: one that is made anew at each painting of a list
/// fills them. GUI thread.
[[nodiscard]] QIcon keptIcon(const char* kind, const RunStyle& style,
                             const std::function<QIcon(const RunStyle&)>& make);

}  // namespace kurve::views
