#include "app/studio/window/view_actions.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QDateTime>
#include <QFileInfo>
#include <QMenu>

#include "views/common/chart/qcustomplot.h"
#include "views/common/chart/view_picture.h"
#include "views/common/data/background.h"
#include "views/common/form/save_dialog.h"
#include "views/common/shell/command_registry.h"

namespace kurve::studio {

using namespace views;

namespace {

/// A titled card that draws something: chips and lists that open look like cards, too.
bool isView(QWidget& widget) {
    return widget.property("role").toString() == QLatin1String("card") &&
           !widget.accessibleName().isEmpty() &&
           (dynamic_cast<Exported*>(&widget) != nullptr || widget.findChild<QCustomPlot*>() != nullptr);
}

/// The nearest such card about a widget, else its panel; null outside of panels.
QWidget* viewAt(QWidget* widget) {
    for (QWidget* at = widget; at; at = at->parentWidget())
        if (qobject_cast<Panel*>(at) || isView(*at)) return at;
    return nullptr;
}

/// 0 for a widget in a covered tab, which Qt calls visible.
qint64 visibleArea(const QWidget& widget) {
    qint64 area = 0;
    if (widget.isVisible())
        for (const QRect& part : widget.visibleRegion()) area += qint64{part.width()} * part.height();
    return area;
}

QString nameOf(const QWidget& view) {
    const auto* panel = qobject_cast<const Panel*>(&view);
    return panel ? panel->title() : view.accessibleName();
}

}  // namespace

ViewActions::ViewActions(ProjectSession& session, CommandRegistry& commands, QWidget* window)
    : QObject(window), session_(session), window_(window) {
    const CommandGroup add(&commands, tr("Edit"));
    add("view.export", tr("Export view…"), Qt::CTRL | Qt::Key_E,
        tr("Figure (SVG, PDF, PNG) or data (CSV, JSON, Markdown) of the focused chart or panel"),
        [this] { ask(focusedView()); });
    add("view.copy_image", tr("Copy view as image"), QKeySequence::Copy,
        tr("In print colours, with a caption"), [this] {
            if (QWidget* view = focusedView()) copyImage(*view);
        });
    add("view.copy_data", tr("Copy view data"), Qt::CTRL | Qt::SHIFT | Qt::Key_C,
        tr("Every point and row, as CSV"), [this] {
            if (QWidget* view = focusedView()) copyData(*view, "csv");
        });
    add("view.copy_markdown", tr("Copy tables as Markdown"), Qt::CTRL | Qt::ALT | Qt::Key_C,
        tr("For notes and issues"), [this] {
            if (QWidget* view = focusedView()) copyData(*view, "md");
        });
}

void ViewActions::watch(Panel& panel) {
    panels_.emplace_back(&panel);
    panel.installEventFilter(this);
}

QString ViewActions::captionOf(const QWidget& view) const {
    const QStringList runs = session_.selection.runs();
    QString text =
        QStringLiteral("%1 · %2").arg(nameOf(view), QString::fromStdString(session_.project().name()));
    if (!runs.isEmpty()) text += tr(" · runs %1").arg(runs.join(QStringLiteral(", ")));
    text += QStringLiteral(" · ") + QDateTime::currentDateTime().toString(Qt::ISODate);
    const auto* panel = qobject_cast<const Panel*>(&view);
    return panel ? text + QStringLiteral(" · ") + panel->statement() : text;
}

QWidget* ViewActions::focusedView() const {
    if (QWidget* view = viewAt(QApplication::focusWidget())) return view;
    QWidget* largest = nullptr;
    for (const auto& panel : panels_)
        if (panel && visibleArea(*panel) > (largest ? visibleArea(*largest) : 0)) largest = panel;
    return largest;
}

void ViewActions::ask(QWidget* view) {
    if (!view) return;
    askForFile(window_,
               {.title = tr("Export: %1").arg(nameOf(*view)),
                .suffix = QStringLiteral("svg"),
                .folder = QString::fromStdString(session_.project().folder().string()),
                .filters = {tr("SVG figure (*.svg)"), tr("PDF figure (*.pdf)"), tr("PNG image (*.png)"),
                            tr("CSV data (*.csv)"), tr("JSON data (*.json)"), tr("Markdown tables (*.md)")}},
               [this, target = QPointer<QWidget>(view)](const QString& file) {
                   if (target) write(*target, file);
               });
}

void ViewActions::write(QWidget& view, const QString& file) {
    const ViewExport what(view, QFileInfo(file).suffix(), captionOf(view));
    if (what.isEmpty()) return Q_EMIT said(tr("This view has no table or curve; export it as a figure."));
    Q_EMIT said(tr("Writing %1…").arg(file));
    // Each of its own: the next one would drop the errors of this.
    const auto work = std::make_shared<Background>(JobKind::Write);
    work->run([what, file] { return what.write(file); },
              [self = QPointer(this), work, file](const Status& status) {
                  if (self)
                      Q_EMIT self->said(status ? tr("Written to %1").arg(file)
                                               : QString::fromStdString(status.error().text()));
              });
}

void ViewActions::copyImage(QWidget& view) {
    QApplication::clipboard()->setImage(viewImage(view, captionOf(view)));
    Q_EMIT said(tr("Copied %1 as an image.").arg(nameOf(view)));
}

void ViewActions::copyData(QWidget& view, const char* format) {
    const ViewExport what(view, QLatin1String(format), captionOf(view));
    if (what.isEmpty()) return Q_EMIT said(tr("This view has no table or curve; copy it as an image."));
    QApplication::clipboard()->setText(QString::fromUtf8(what.bytes().value_or(QByteArray())));
    Q_EMIT said(tr("Copied the data of %1.").arg(nameOf(view)));
}

void ViewActions::openMenu(QWidget* view, const QList<QAction*>& own, const QPoint& position) {
    auto* menu = new QMenu(view);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("view.menu"));
    menu->addActions(own);
    menu->addSection(nameOf(*view));
    menu->addAction(tr("Export…"), view, [this, view] { ask(view); });
    menu->addAction(tr("Copy as image"), view, [this, view] { copyImage(*view); });
    menu->addAction(tr("Copy data"), view, [this, view] { copyData(*view, "csv"); });
    menu->addAction(tr("Copy as Markdown"), view, [this, view] { copyData(*view, "md"); });
    menu->popup(position);
}

bool ViewActions::eventFilter(QObject* watched, QEvent* event) {
    auto* panel = qobject_cast<Panel*>(watched);
    if (!panel || event->type() != QEvent::ContextMenu) return false;
    auto* request = static_cast<QContextMenuEvent*>(event);
    QWidget* under = panel->childAt(request->pos());
    QList<QAction*> own;  // of the list under the mouse
    for (QWidget* at = under; at != nullptr && at != panel; at = at->parentWidget()) own << at->actions();
    openMenu(viewAt(under ? under : panel), own, request->globalPos());
    return true;
}

}  // namespace kurve::studio
