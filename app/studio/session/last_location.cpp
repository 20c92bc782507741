#include "app/studio/session/last_location.h"

namespace kurve::studio {

namespace {

namespace fs = std::filesystem;

QString relativeTo(const fs::path& file, const fs::path& folder) {
    std::error_code problem;
    const fs::path shorter = fs::proximate(file, folder, problem);
    return QString::fromStdString((problem ? file : shorter).string());
}

}  // namespace

LastLocation::LastLocation(ProjectSession& session, TraceOpener& traces, QObject* parent)
    : QObject(parent), session_(session), traces_(traces) {
    connect(&session.selection, &views::Selection::runsChanged, this, &LastLocation::save);
    connect(&session.selection, &views::Selection::traceChanged, this, &LastLocation::save);
    connect(&session.selection, &views::Selection::positionChanged, this, &LastLocation::save);
    connect(&session.playhead, &views::Playhead::trainStepChanged, this, &LastLocation::save);
    connect(&session.playhead, &views::Playhead::denoiseStepChanged, this, &LastLocation::save);
}

void LastLocation::restore() {
    const QJsonObject state = session_.state();
    const QJsonObject location = state.value(QStringLiteral("location")).toObject();
    const QStringList runs =
        state.value(QStringLiteral("runs")).toString().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    // A new window of the same session (another zoom) has everything still.
    if (!runs.isEmpty() && session_.selection.runs().isEmpty()) session_.selection.setRuns(runs);
    const QString file = location.value(QStringLiteral("trace")).toString();
    std::error_code problem;
    const fs::path path = session_.project().folder() / file.toStdString();
    if (!file.isEmpty() && !session_.selection.trace() && fs::exists(path, problem)) {
        session_.playhead.setTrainStep(
            static_cast<qint64>(location.value(QStringLiteral("train_step")).toDouble()));
        traces_.restore(path, location.value(QStringLiteral("position")).toInt(-1),
                        location.value(QStringLiteral("step")).toInt());
    }
    saving_ = true;
}

void LastLocation::save() {
    if (!saving_) return;
    session_.put(QStringLiteral("runs"), session_.selection.runs().join(QLatin1Char(' ')));
    const auto trace = session_.selection.trace();
    if (!trace)
        return session_.put(QStringLiteral("location"),
                            QJsonObject());  // the trace of another run no longer holds
    if (trace->file.empty()) return;
    session_.put(
        QStringLiteral("location"),
        QJsonObject{{QStringLiteral("trace"), relativeTo(trace->file, session_.project().folder())},
                    {QStringLiteral("position"), session_.selection.position()},
                    {QStringLiteral("step"), session_.playhead.denoiseStep()},
                    {QStringLiteral("train_step"), static_cast<double>(session_.playhead.trainStep())}});
}

}  // namespace kurve::studio
