#include "views/common/kept_icon.h"

#include <QHash>

namespace kurve::views {

QIcon keptIcon(const char* kind, const RunStyle& style, const std::function<QIcon(const RunStyle&)>& make) {
    // As many as there are styles, themes and zooms; not taken apart after the application.
    static auto& kept = *new QHash<QString, QIcon>;
    QIcon& icon = kept[QStringLiteral("%1 %2 %3 %4 %5")
                           .arg(QLatin1String(kind), style.color.name(QColor::HexArgb))
                           .arg(static_cast<int>(style.dash))
                           .arg(style.marker)
                           .arg(theme().scale)];
    if (icon.isNull()) icon = make(style);
    return icon;
}

}  // namespace kurve::views
