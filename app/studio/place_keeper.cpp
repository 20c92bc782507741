#include "app/studio/place_keeper.h"

namespace kurve::studio {

namespace {

namespace fs = std::filesystem;

QString placeIn(const fs::path& file, const fs::path& folder) {
    std::error_code problem;
    const fs::path shorter = fs::proximate(file, folder, problem);
    return QString::fromStdString((problem ? file : shorter).string());
}

}  // namespace

PlaceKeeper::PlaceKeeper(ProjectSession& session, TraceOpener& traces, QObject* parent)
    : QObject(parent), session_(session), traces_(traces) {
    connect(&session.selection, &views::Selection::runsChanged, this, &PlaceKeeper::keep);
    connect(&session.selection, &views::Selection::traceChanged, this, &PlaceKeeper::keep);
    connect(&session.selection, &views::Selection::slotChanged, this, &PlaceKeeper::keep);
    connect(&session.playhead, &views::Playhead::trainStepChanged, this, &PlaceKeeper::keep);
    connect(&session.playhead, &views::Playhead::denoiseStepChanged, this, &PlaceKeeper::keep);
}

void PlaceKeeper::restore() {
    const QJsonObject state = session_.state();
    const QJsonObject place = state.value(QStringLiteral("place")).toObject();
    const QStringList runs =
        state.value(QStringLiteral("runs")).toString().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    // A new window of the same session (another zoom) has everything still.
    if (!runs.isEmpty() && session_.selection.runs().isEmpty()) session_.selection.setRuns(runs);
    const QString file = place.value(QStringLiteral("trace")).toString();
    std::error_code problem;
    const fs::path path = session_.project().folder() / file.toStdString();
    if (!file.isEmpty() && !session_.selection.trace() && fs::exists(path, problem)) {
        session_.playhead.setTrainStep(
            static_cast<qint64>(place.value(QStringLiteral("train_step")).toDouble()));
        traces_.restore(path, place.value(QStringLiteral("slot")).toInt(-1),
                        place.value(QStringLiteral("step")).toInt());
    }
    keeping_ = true;
}

void PlaceKeeper::keep() {
    if (!keeping_) return;
    session_.put(QStringLiteral("runs"), session_.selection.runs().join(QLatin1Char(' ')));
    const auto trace = session_.selection.trace();
    if (!trace)
        return session_.put(QStringLiteral("place"), QJsonObject());  // that of another run is no more
    if (trace->file.empty()) return;
    session_.put(
        QStringLiteral("place"),
        QJsonObject{{QStringLiteral("trace"), placeIn(trace->file, session_.project().folder())},
                    {QStringLiteral("slot"), session_.selection.slot()},
                    {QStringLiteral("step"), session_.playhead.denoiseStep()},
                    {QStringLiteral("train_step"), static_cast<double>(session_.playhead.trainStep())}});
}

}  // namespace kurve::studio
