// A widget as an SVG figure, and questions to it.
#pragma once

#include <gtest/gtest.h>

#include <QByteArray>
#include <QRegularExpression>
#include <QString>
#include <QWidget>

#include "views/common/chart/view_picture.h"

namespace kurve::test {

inline QByteArray svgOf(QWidget& widget) {
    const auto svg = views::ViewExport(widget, QStringLiteral("svg"), {}).bytes();
    EXPECT_TRUE(svg);
    return svg.value_or(QByteArray());
}

/// How often a regular expression matches.
inline int count(const QByteArray& svg, const char* pattern) {
    int found = 0;
    auto each = QRegularExpression(QString::fromUtf8(pattern)).globalMatch(QString::fromUtf8(svg));
    for (; each.hasNext(); each.next()) ++found;
    return found;
}

}  // namespace kurve::test
