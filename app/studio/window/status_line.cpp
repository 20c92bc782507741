#include "app/studio/window/status_line.h"

#include <QEvent>
#include <cmath>

#include "views/common/form/controls.h"
#include "views/common/text/format.h"
#include "views/common/text/reserved_text.h"
#include "views/common/theme/theme.h"

namespace kurve::studio {

using namespace views;

namespace {
constexpr int kForgetMilliseconds = 12000;
constexpr std::size_t kMostMessages = 300;

const QString kBetween = QStringLiteral("  ·  ");

/// "CPU 180 %  ·  RSS 410 MB  ·  GPU 97 %, 3.2 GB"; unknown values are left out.
QString useText(const EngineUse& use) {
    QStringList parts;
    if (use.cpuPercent) parts << StatusLine::tr("CPU %1 %").arg(std::lround(*use.cpuPercent));
    if (use.residentBytes > 0) parts << StatusLine::tr("RSS %1").arg(bytesText(use.residentBytes));
    QStringList gpu;
    if (use.gpuPercent) gpu << StatusLine::tr("%1 %").arg(std::lround(*use.gpuPercent));
    if (use.gpuBytes) gpu << bytesText(*use.gpuBytes);
    if (!gpu.isEmpty()) parts << StatusLine::tr("GPU %1").arg(gpu.join(QStringLiteral(", ")));
    return parts.join(kBetween);
}
}  // namespace

const QString StatusLine::kBudgetKey = QStringLiteral("diskBudget");

StatusLine::StatusLine(QStatusBar& bar, ProjectSession& session)
    : session_(session), meters_(session.control, this), message_(describe(new QLabel, "status.message")) {
    message_->setTextFormat(Qt::PlainText);
    message_->setContentsMargins(px(space::kSmall), 0, 0, 0);
    message_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    message_->installEventFilter(this);
    bar.addWidget(message_, 1);
    bar.setSizeGripEnabled(false);
    progress_ = addPermanent(bar, "status.progress");
    machine_ = addPermanent(bar, "status.machine");
    disk_ = addPermanent(bar, "status.disk");
    saved_ = addPermanent(bar, "status.saved");
    forget_.setSingleShot(true);
    connect(&forget_, &QTimer::timeout, message_, &QLabel::clear);
    connect(&session.control, &RunControl::progressed, this, &StatusLine::showProgress);
    connect(&session.file(), &StateFile::saved, this, [this] { showSaved({}); });
    connect(&session.file(), &StateFile::saveFailed, this, &StatusLine::showSaved);
    connect(&meters_, &EngineMeters::changed, this, &StatusLine::showMachine);
    connect(&session.catalog, &RunCatalog::runsChanged, this, &StatusLine::showDisk);
    showMachine();
    showDisk();
}

QLabel* StatusLine::addPermanent(QStatusBar& bar, const char* id) {
    auto* label = describe(new QLabel, id, {.role = "caption"});
    label->setContentsMargins(px(space::kSmall), px(3), px(space::kSmall), px(3));
    bar.addPermanentWidget(label);
    return label;
}

bool StatusLine::eventFilter(QObject* watched, QEvent* event) {
    if (watched == message_ && event->type() == QEvent::MouseButtonRelease) Q_EMIT messagesWanted();
    return QObject::eventFilter(watched, event);
}

void StatusLine::say(const QString& text) {
    if (!text.isEmpty()) messages_.push_back({QDateTime::currentDateTime(), text});
    if (messages_.size() > kMostMessages) messages_.pop_front();
    message_->setText(text);
    message_->setToolTip(plainTip(text));
    forget_.start(kForgetMilliseconds);
}

void StatusLine::retract(const QString& text) {
    if (message_->text() != text) return;
    forget_.stop();
    message_->clear();
    message_->setToolTip({});
}

void StatusLine::showProgress() {
    const RunSupervisor* current = session_.control.current();
    if (!current || !current->isLive()) {
        setReservedText(*progress_, {});
        return;
    }
    const RunProgress& p = current->progress();
    const StateStyle style = stateStyle(phaseName(current->phase()));
    QStringList parts;
    QString name = nameOf(current->runId());
    if (!name.isEmpty() && !current->machine().isEmpty()) name = tr("%1 on %2").arg(name, current->machine());
    parts << QStringLiteral("<span style=\"color:%1\">%2</span> %3")
                 .arg(style.color.name(), style.glyph, name.isEmpty() ? style.text : name.toHtmlEscaped());
    parts << (!p.preparation.text.isEmpty() ? p.preparation.text.toHtmlEscaped()
              : p.total > 0 && p.plannedSeconds <= 0
                  ? QStringLiteral("%1 / %2").arg(countText(p.step), countText(p.total))
                  : tr("step %1").arg(countText(p.step)));
    if (current->lostSince() > 0) parts << tr("lost contact since %1").arg(momentText(current->lostSince()));
    const bool trains = current->phase() == RunPhase::Running;
    if (trains && p.tokensPerSecond > 0)
        parts << tr("%1 tok/s").arg(countText(static_cast<qint64>(p.tokensPerSecond)));
    if (trains && p.etaSeconds >= 0) parts << tr("ETA %1").arg(durationText(p.etaSeconds));
    setReservedText(*progress_, parts.join(QStringLiteral("&nbsp;&nbsp;·&nbsp;&nbsp;")));
}

QString StatusLine::nameOf(const QString& runId) const {
    const store::RunSummary* run = session_.catalog.run(runId);
    return run ? QString::fromStdString(run->name) : QString();
}

void StatusLine::showMachine() {
    const std::vector<EngineUse>& uses = meters_.uses();
    setReservedText(*machine_, useText(sumOf(uses)));
    machine_->setVisible(!uses.empty());
    QStringList lines;
    for (const EngineUse& use : uses) {
        lines << tr("%1: %2").arg(session_.catalog.nameOf(use.runId), useText(use));
    }
    machine_->setToolTip(lines.join(QLatin1Char('\n')));
}

void StatusLine::showDisk() {
    double bytes = 0;
    for (const store::RunSummary& run : session_.catalog.runs()) bytes += static_cast<double>(run.bytes);
    const double budget = session_.state().value(kBudgetKey).toDouble();
    const bool over = budget > 0 && bytes > budget;
    disk_->setText(over ? tr("⚠ Disk %1 of %2").arg(bytesText(bytes), bytesText(budget))
                        : tr("Disk %1").arg(bytesText(bytes)));
    disk_->setStyleSheet(over ? QStringLiteral("color:%1").arg(theme().bad.name()) : QString());
    if (over) return disk_->setToolTip(tr("Above the disk budget; see Data & Schedule > Disk"));
    disk_->setToolTip(tr("Size of all runs, including trash: %1").arg(bytesText(bytes)));
}

void StatusLine::showSaved(const QString& problem) {
    saved_->setText(problem.isEmpty() ? tr("saved") : tr("not saved"));
    saved_->setToolTip(problem);
}

}  // namespace kurve::studio
