#pragma once

#include <QImage>
#include <QLayout>
#include <QPainter>
#include <QString>
#include <QWidget>
#include <initializer_list>

#include "core/base/result.h"

namespace kurve::views {

/// A widget that shows a picture made elsewhere (on the GPU), and can draw it as lines and texts as well.
class HasVectors {
public:
    virtual ~HasVectors() = default;
    /// From the widget's top left corner, in its pixels, with its background.
    virtual void paintVectors(QPainter& painter) = 0;
};

/// Excludes this part from figures of a view: a tool bar, or what is in the caption. Empty strips of the view
/// are cropped. A remaining choice box is drawn as its current text.
void leaveOutOfFigures(QWidget& part, bool on = true);
void leaveOutOfFigures(std::initializer_list<QWidget*> parts);
/// All widgets of a layout so.
void leaveOutOfFigures(const QLayout& tools);

/// A view as a figure in print style: light whatever the theme is, with a caption below. Lines, points and
/// texts are vectors in svg and pdf; what a view draws as an image stays an image, and so becomes (at three
/// times the screen's resolution) what is partly scrolled out of view. GUI thread.
[[nodiscard]] QImage viewImage(QWidget& view, const QString& caption);
/// By the suffix: svg, pdf or png. Errors: io.write, export.format.
Status writePicture(QWidget& view, const QString& file, const QString& caption);

}  // namespace kurve::views
