#include "views/compare/compared_run.h"

#include <QPainter>
#include <QPixmap>

#include "views/common/chart/plot_style.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/theme/cached_icon.h"

namespace kurve::views {

namespace {

QIcon drawnLine(const RunStyle& style) {
    const int width = px(26), height = px(12);
    const double ratio = 2;
    QPixmap pixmap(static_cast<int>(width * ratio), static_cast<int>(height * ratio));
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter plain(&pixmap);
    plain.setRenderHint(QPainter::Antialiasing);
    plain.setPen(style.pen(2.2 * theme().scale));
    plain.drawLine(QPointF(1, height / 2.0), QPointF(width - 1, height / 2.0));
    plain.end();
    QCPPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    const QCPScatterStyle marker = runMarker(style, 7);
    marker.applyTo(&painter, QPen(style.color));
    marker.drawShape(&painter, width / 2.0, height / 2.0);
    return QIcon(pixmap);
}

}  // namespace

QString withMissing(const std::vector<ComparedRun>& runs, const QString& differing) {
    QStringList missing, parts;
    int readable = 0;
    for (const ComparedRun& run : runs) {
        if (run.config) ++readable;
        if (run.data && !run.config) missing << run.title;
    }
    if (missing.isEmpty() || readable > 1) parts << differing;
    if (!missing.isEmpty())
        parts << QStringLiteral("no settings of %1").arg(missing.join(QStringLiteral(", ")));
    return parts.join(QStringLiteral("; "));
}

QIcon lineIcon(const RunStyle& style) {
    return cachedIcon("line", style, drawnLine);
}

CellRow runColumns(const QString& first, const std::vector<ComparedRun>& runs) {
    CellRow columns{{{Qt::DisplayRole, first}}};
    for (const ComparedRun& run : runs)
        columns.push_back(
            {{CellTableModel::kIdRole, run.id},
             {Qt::DisplayRole, run.title},
             {Qt::DecorationRole, lineIcon(runStyle(run.id))},
             {Qt::ToolTipRole,
              &run == &runs.front() ? QStringLiteral("%1: baseline").arg(run.title) : run.title}});
    return columns;
}

}  // namespace kurve::views
