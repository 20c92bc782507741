#pragma once

#include <QProxyStyle>

#include "views/common/theme/theme.h"

namespace kurve::views {

/// Fusion with metrics that follow the zoom.
class StudioStyle : public QProxyStyle {
    Q_OBJECT
public:
    StudioStyle();
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* data) const override;
    /// Elides the texts of choices and buttons.
    void drawItemText(QPainter* painter, const QRect& rect, int flags, const QPalette& palette, bool enabled,
                      const QString& text, QPalette::ColorRole role) const override;
    QIcon standardIcon(StandardPixmap icon, const QStyleOption* option, const QWidget* widget) const override;
    using QProxyStyle::polish;
    /// Scrolling a page must not change a setting under the mouse: the wheel changes numbers and sliders only
    /// if they have the focus, and no choices and tabs. A click on a button beside a list of proposals
    /// reaches that button, not only closes the list.
    void polish(QWidget* widget) override;
    void polish(QApplication* application) override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace kurve::views
