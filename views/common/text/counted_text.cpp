#include "views/common/text/counted_text.h"

#include <QSpinBox>

#include "views/common/text/format.h"

namespace kurve::views {

namespace {

QString nounText(qint64 count, const QString& noun) {
    return QLatin1Char(' ') + noun + (count == 1 ? QString() : QStringLiteral("s"));
}

}  // namespace

QString countedText(qint64 count, const QString& noun) {
    return countText(count) + nounText(count, noun);
}

void setCountSuffix(QSpinBox& box, const QString& noun) {
    const auto show = [&box, noun](int count) { box.setSuffix(nounText(count, noun)); };
    QObject::connect(&box, &QSpinBox::valueChanged, &box, show);
    show(box.value());
}

}  // namespace kurve::views
