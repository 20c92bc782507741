#pragma once

#include <QString>

#include "views/common/theme/theme.h"

class QCPAxis;
class QCPAxisRect;
class QCPScatterStyle;
class QCustomPlot;
class QWidget;

namespace kurve::views {

/// Colours, fonts, tick density and margins of a plot in the current theme; call again on
/// themeNotifier()->changed(). Layers, graphs and ranges stay.
void stylePlot(QCustomPlot* plot);
/// Title of an axis with its unit: "learning rate", "loss / nats".
void setAxisTitle(QCPAxis* axis, const QString& title, const QString& unit = {});
/// Linear or logarithmic scale with matching ticks ("10^-3" as 0.001 where short). Clamps a range that
/// reaches below 0.
void setAxisLog(QCPAxis* axis, bool on);
/// Round ticks whose labels do not touch, on an axis whose coordinates are the values.
void setLinearTicks(QCPAxis* axis);
/// The frame of a card whose chart has the focus.
void paintFocusFrame(QWidget& card);
/// The marker that belongs to a run style.
[[nodiscard]] QCPScatterStyle runMarker(const RunStyle& style, double size = 6);

}  // namespace kurve::views
