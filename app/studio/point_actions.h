#pragma once

#include <QMap>
#include <QString>

namespace kurve::views {
class FrontierPanel;
}

namespace kurve::studio {

class MainWindow;
class ProjectSession;

/// Connects the uses of the sampler settings of a frontier point: in the prompt bar, in the draft, as the
/// run's default sampler. Each can be undone beside its button.
void wirePointActions(views::FrontierPanel& frontier, MainWindow& window, ProjectSession& session);

/// A point was decoded with its settings over those of training: these settings, plus the training values of
/// the others that the run's default sampler changes.
[[nodiscard]] QMap<QString, QString> overDefaultSampler(const ProjectSession& session, const QString& run,
                                                        QMap<QString, QString> settings);

}  // namespace kurve::studio
