// A widget as an SVG figure, and questions to it.
#pragma once

#include <gtest/gtest.h>

#include <QByteArray>
#include <QFile>
#include <QRegularExpression>
#include <QString>
#include <QTemporaryDir>
#include <QWidget>

#include "views/common/chart/view_picture.h"

namespace kurve::test {

inline QByteArray svgOf(QWidget& widget) {
    const QTemporaryDir folder;
    const QString name = folder.filePath(QStringLiteral("figure.svg"));
    EXPECT_TRUE(views::writePicture(widget, name, {}));
    QFile file(name);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly));
    return file.readAll();
}

/// How often a regular expression matches.
inline int count(const QByteArray& svg, const char* pattern) {
    int found = 0;
    auto each = QRegularExpression(QString::fromUtf8(pattern)).globalMatch(QString::fromUtf8(svg));
    for (; each.hasNext(); each.next()) ++found;
    return found;
}

}  // namespace kurve::test
