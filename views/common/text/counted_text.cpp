#include "views/common/text/counted_text.h"

#include "views/common/text/format.h"

namespace kurve::views {

QString countedText(qint64 count, const QString& noun) {
    return countText(count) + QLatin1Char(' ') + noun + (count == 1 ? QString() : QStringLiteral("s"));
}

}  // namespace kurve::views
