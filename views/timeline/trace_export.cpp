#include "views/timeline/trace_export.h"

#include <QFileInfo>
#include <QMenu>
#include <algorithm>

#include "core/base/file.h"
#include "core/interop/export_run.h"
#include "core/interop/trace_player.h"
#include "core/interop/trace_svg.h"
#include "views/common/form/controls.h"
#include "views/common/form/save_dialog.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/selection.h"
#include "views/timeline/animated_png.h"

namespace kurve::views {
namespace {

QString suffixOf(const QString& kind) {
    return kind == QStringLiteral("apng") || kind == QStringLiteral("pngs") ? QStringLiteral("png") : kind;
}

Status writeText(const trace::Trace& trace, const QString& kind, const QString& file) {
    const std::string text = kind == QStringLiteral("svg")    ? interop::traceSvg(trace)
                             : kind == QStringLiteral("html") ? interop::tracePlayerHtml(trace)
                                                              : interop::traceText(trace, kind.toStdString());
    return writeFileAtomically(file.toStdString(), text);
}

Status writeAnimation(const std::vector<QImage>& pictures, int interval, const QString& file) {
    KURVE_TRY(const QByteArray bytes, animatedPng(pictures, interval));
    return writeFileAtomically(file.toStdString(),
                               {bytes.constData(), static_cast<std::size_t>(bytes.size())});
}

/// NAME-001.png beside NAME.png.
QString numbered(const QString& file, std::size_t number) {
    const QFileInfo info(file);
    return QStringLiteral("%1/%2-%3.png")
        .arg(info.path(), info.completeBaseName())
        .arg(number, 3, 10, QLatin1Char('0'));
}

Status writeNumbered(const std::vector<QImage>& pictures, const QString& file) {
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        const QString name = numbered(file, i + 1);
        if (!pictures[i].save(name, "PNG"))
            return workError("io.write", "cannot write the picture")
                .at(name.toStdString())
                .fix("choose another folder");
    }
    return {};
}

}  // namespace

void addViewActions(QMenu& menu, const CommandRegistry& commands) {
    for (const char* id : {"view.export", "view.copy_image", "view.copy_data"})
        if (QAction* action = commands.action(QLatin1String(id))) menu.addAction(action);
}

TraceExport::TraceExport(const StudioContext& context, Pictures pictures, QWidget* scope)
    : QToolButton(scope), context_(context), pictures_(std::move(pictures)), cancel_(new QToolButton(scope)) {
    describe(cancel_, "timeline.export_cancel", tr("Cancel export"), tr("Cancel; no file is written"),
             {.hidden = true});
    cancel_->setFocusPolicy(Qt::NoFocus);
    cancel_->setAutoFillBackground(true);
    connect(cancel_, &QToolButton::clicked, this, &TraceExport::cancel);
    connect(&drawing_, &QTimer::timeout, this, &TraceExport::drawNext);
    connect(context.selection, &Selection::traceChanged, this, &TraceExport::cancel);
    auto* menu = new QMenu(this);
    addKind(menu, scope, "svg", tr("Timeline figure (SVG)…"), tr("Map and text as vector graphics"));
    addKind(menu, scope, "apng", tr("Animation (APNG)…"),
            tr("The steps of the loop as an animation of this view"));
    addKind(menu, scope, "pngs", tr("Image sequence (PNG)…"),
            tr("One picture of this view per step of the loop"));
    addKind(menu, scope, "html", tr("Interactive HTML…"), tr("One page for any browser, without network"));
    addKind(menu, scope, "csv", tr("Table (CSV)…"), tr("Every position at every step"));
    addKind(menu, scope, "json", tr("Data (JSON)…"), tr("Tokens and candidates of the trace"));
    menu->addSeparator();
    addViewActions(*menu, *context_.commands);
    describe(this, "timeline.export", tr("Export trace"), tr("Export trace (Ctrl+E)"),
             {.text = tr("Export"), .role = "quiet"});
    setFocusPolicy(Qt::NoFocus);
    setMenu(menu);
    setPopupMode(QToolButton::InstantPopup);
    CommandGroup(context_.commands, tr("View"), scope)(
        "timeline.export", tr("Export trace"), Qt::CTRL | Qt::Key_E,
        tr("Figure, animation, HTML, table or data"), [this] { showMenu(); });
}

void TraceExport::addKind(QMenu* menu, QWidget* scope, const char* kind, const QString& title,
                          const QString& help) {
    const QString name = QLatin1String(kind);
    menu->addAction(context_.commands->add(
        {QStringLiteral("timeline.export_") + name, tr("Export: %1").arg(title), tr("View"), {}, help},
        [this, name] { ask(name); }, scope));
}

void TraceExport::ask(const QString& kind) {
    if (context_.selection->trace() == nullptr)
        return Q_EMIT statusMessage(tr("No trace is open; open one."));
    const QString suffix = suffixOf(kind);
    askForFile(this,
               {.title = tr("Export trace"), .suffix = suffix, .name = QStringLiteral("trace.") + suffix},
               [this, kind](const QString& file) { write(kind, file); });
}

void TraceExport::write(const QString& kind, const QString& file) {
    const auto trace = context_.selection->trace();
    if (trace == nullptr) return Q_EMIT statusMessage(tr("No trace is open; open one."));
    if (drawing()) return Q_EMIT statusMessage(tr("An export is running; wait for it or cancel it."));
    if (suffixOf(kind) != QStringLiteral("png")) return save(kind, file, {});
    // The dialog has asked about another name.
    if (const QString first = numbered(file, 1); kind == QStringLiteral("pngs") && QFileInfo::exists(first))
        return Q_EMIT statusMessage(tr("%1 exists; choose another name.").arg(first));
    kind_ = kind;
    file_ = file;
    drawing_.start(0);
    drawNext();
}

void TraceExport::drawNext() {
    const auto [first, last] = pictures_.loop();
    const int total = last - first + 1, done = static_cast<int>(drawn_.size());
    if (done >= total) {
        std::vector<QImage> pictures = std::move(drawn_);
        endDrawing();
        return save(kind_, file_, std::move(pictures));
    }
    drawn_.push_back(pictures_.at(first + done));
    cancel_->setText(tr("Drawing %1 of %2  ✕").arg(done + 1).arg(total));
    // Over this button, not beside it: a rewrapped bar would resize the next picture.
    cancel_->adjustSize();
    const QWidget* scope = cancel_->parentWidget();
    const QPoint corner = mapTo(scope, QPoint(width() - cancel_->width(), 0));
    cancel_->move(std::max(0, corner.x()), corner.y());
    cancel_->raise();
    cancel_->show();
}

void TraceExport::cancel() {
    if (!drawing()) return;
    endDrawing();
    Q_EMIT statusMessage(tr("Export cancelled; no file was written."));
}

void TraceExport::endDrawing() {
    drawing_.stop();
    drawn_.clear();
    cancel_->hide();
}

void TraceExport::save(const QString& kind, const QString& file, std::vector<QImage> pictures) {
    const auto trace = context_.selection->trace();
    saving_.run(
        [trace, kind, file, pictures = std::move(pictures), interval = pictures_.interval()]() -> Status {
            if (kind == QStringLiteral("apng")) return writeAnimation(pictures, interval, file);
            return kind == QStringLiteral("pngs") ? writeNumbered(pictures, file)
                                                  : writeText(*trace, kind, file);
        },
        [this, file](const Status& status) {
            Q_EMIT statusMessage(status ? tr("Written: %1").arg(file)
                                        : QString::fromStdString(status.error().text()));
        });
}

}  // namespace kurve::views
