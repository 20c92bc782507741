#include "app/studio/status_line.h"

#include <QEvent>
#include <QFile>

#include "views/common/format.h"
#include "views/common/steady_text.h"
#include "views/common/theme.h"

namespace kurve::studio {

using namespace views;

namespace {
constexpr int kForgetMilliseconds = 12000;
constexpr std::size_t kMostMessages = 300;
constexpr int kMemoryMilliseconds = 1000;
constexpr double kPageBytes = 4096;
}  // namespace

StatusLine::StatusLine(QStatusBar& bar, ProjectSession& session) : session_(session), message_(new QLabel) {
    message_->setObjectName(QStringLiteral("status.message"));
    message_->setContentsMargins(px(space::kSmall), 0, 0, 0);
    message_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    message_->installEventFilter(this);
    bar.addWidget(message_, 1);
    bar.setSizeGripEnabled(false);
    progress_ = addPermanent(bar, "status.progress");
    memory_ = addPermanent(bar, "status.memory");
    saved_ = addPermanent(bar, "status.saved");
    forget_.setSingleShot(true);
    connect(&forget_, &QTimer::timeout, message_, &QLabel::clear);
    connect(&session.control, &RunControl::progressed, this, &StatusLine::showProgress);
    connect(&session, &ProjectSession::saved, this, [this] { showSaved({}); });
    connect(&session, &ProjectSession::saveFailed, this, &StatusLine::showSaved);
    connect(&clock_, &QTimer::timeout, this, &StatusLine::showMemory);
    clock_.setInterval(kMemoryMilliseconds);
}

QLabel* StatusLine::addPermanent(QStatusBar& bar, const char* id) {
    auto* label = new QLabel;
    label->setObjectName(QLatin1String(id));
    label->setProperty("role", "caption");
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
    message_->setToolTip(text);
    forget_.start(kForgetMilliseconds);
}

void StatusLine::showProgress() {
    const RunSupervisor* current = session_.control.current();
    if (!current || !current->isLive()) {
        setSteadyText(*progress_, {});
        setSteadyText(*memory_, {});
        return clock_.stop();
    }
    if (!clock_.isActive()) clock_.start();
    const RunProgress& p = current->progress();
    const StateLook look = stateLook(phaseName(current->phase()));
    QStringList parts;
    const store::RunSummary* run = session_.catalog.run(current->runId());
    parts << QStringLiteral("<span style=\"color:%1\">%2</span> %3")
                 .arg(look.color.name(), look.glyph,
                      run && !run->name.empty() ? QString::fromStdString(run->name).toHtmlEscaped()
                                                : look.text);
    parts << (p.total > 0 ? QStringLiteral("%1 / %2").arg(countText(p.step), countText(p.total))
                          : tr("step %1").arg(countText(p.step)));
    if (p.tokensPerSecond > 0) parts << tr("%1 tok/s").arg(countText(static_cast<qint64>(p.tokensPerSecond)));
    if (p.etaSeconds >= 0) parts << tr("ETA %1").arg(durationText(p.etaSeconds));
    setSteadyText(*progress_, parts.join(QStringLiteral("&nbsp;&nbsp;·&nbsp;&nbsp;")));
}

void StatusLine::showMemory() {
    const RunSupervisor* current = session_.control.current();
    if (!current || !current->isLive()) return;
    QFile file(QStringLiteral("/proc/%1/statm").arg(current->pid()));
    if (!file.open(QIODevice::ReadOnly)) return;
    const double pages = file.readAll().split(' ').value(1).toDouble();
    setSteadyText(*memory_, tr("RSS %1").arg(bytesText(pages * kPageBytes)));
}

void StatusLine::showSaved(const QString& problem) {
    saved_->setText(problem.isEmpty() ? tr("saved") : tr("not saved"));
    saved_->setToolTip(problem);
}

}  // namespace kurve::studio
