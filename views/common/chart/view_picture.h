#pragma once

#include <QImage>
#include <QLayout>
#include <QString>
#include <QWidget>
#include <initializer_list>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "views/common/table/view_table.h"

namespace kurve::views {

/// Excludes this part from figures of a view: a tool bar, or what is in the caption. Empty strips of the view
/// are cropped. A remaining choice box is drawn as its current text.
void leaveOutOfFigures(QWidget& part, bool on = true);
void leaveOutOfFigures(std::initializer_list<QWidget*> parts);
/// All widgets of a layout so.
void leaveOutOfFigures(const QLayout& tools);

/// A view as a file: its figure (svg, pdf, png) with a caption below, or its data at full resolution (csv,
/// json, md) with the caption as a note. A figure is in print style, light whatever the theme is. Lines,
/// points and texts are vectors in svg and pdf; what a view draws as an image stays an image, and so becomes
/// (at three times the screen's resolution) what is partly scrolled out of view. Made on the GUI thread,
/// written on any.
class ViewExport {
public:
    /// An unknown format has an error, export.format, in bytes() and write().
    ViewExport(QWidget& view, const QString& format, const QString& caption);
    /// The data of a view without a chart or table.
    [[nodiscard]] bool isEmpty() const;
    [[nodiscard]] Result<QByteArray> bytes() const;
    /// Errors: io.write, export.format.
    [[nodiscard]] Status write(const QString& file) const;

private:
    QString format_, caption_;
    std::variant<std::vector<ViewTable>, QByteArray, QImage> content_;
};

/// The figure that a png has.
[[nodiscard]] QImage viewImage(QWidget& view, const QString& caption);

}  // namespace kurve::views
