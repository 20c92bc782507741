// A text drawn by Qt alone, and how far two pictures are apart.
#pragma once

#include <QFont>
#include <QImage>
#include <QPainter>
#include <QTextLayout>
#include <algorithm>
#include <cstdlib>

namespace kurve::test {

/// `baseline`: its left end, in pixels.
inline QImage qtText(const QSize& size, const QColor& paper, const QString& text, const QFont& font,
                     const QPointF& baseline, const QColor& ink) {
    QImage picture(size, QImage::Format_RGB32);
    picture.fill(paper);
    QTextLayout layout(text, font);
    layout.setTextOption(QTextOption(Qt::AlignLeft | Qt::AlignAbsolute));
    layout.beginLayout();
    QTextLine line = layout.createLine();
    if (line.isValid()) line.setLineWidth(100000);
    layout.endLayout();
    QPainter painter(&picture);
    painter.setPen(ink);
    if (line.isValid()) layout.draw(&painter, baseline - QPointF(0, line.ascent()));
    return picture;
}

/// Of any channel of any pixel.
inline int greatestDifference(const QImage& a, const QImage& b) {
    if (a.size() != b.size()) return 256;
    int most = 0;
    for (int y = 0; y < a.height(); ++y)
        for (int x = 0; x < a.width(); ++x) {
            const QRgb p = a.pixel(x, y), q = b.pixel(x, y);
            most = std::max({most, std::abs(qRed(p) - qRed(q)), std::abs(qGreen(p) - qGreen(q)),
                             std::abs(qBlue(p) - qBlue(q))});
        }
    return most;
}

}  // namespace kurve::test
