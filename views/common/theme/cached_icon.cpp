#include "views/common/theme/cached_icon.h"

#include <QHash>

namespace kurve::views {

QIcon cachedIcon(const char* kind, const RunStyle& style, const std::function<QIcon(const RunStyle&)>& make) {
    // One per style, theme and zoom; not destroyed after the application.
    static auto& cache = *new QHash<QString, QIcon>;
    QIcon& icon = cache[QStringLiteral("%1 %2 %3 %4 %5")
                            .arg(QLatin1String(kind), style.color.name(QColor::HexArgb))
                            .arg(static_cast<int>(style.dash))
                            .arg(style.marker)
                            .arg(theme().scale)];
    if (icon.isNull()) icon = make(style);
    return icon;
}

}  // namespace kurve::views
