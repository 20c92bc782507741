#pragma once

#include <QMap>
#include <QString>

namespace kurve::views {
class FrontierPanel;
}

namespace kurve::studio {

class MainWindow;
class ProjectSession;

/// Connects what can be done with the sampler settings of a frontier's dot: in the prompt bar, in the draft,
/// as the run's default sampler. Each can be undone beside its button.
void wireDotUses(views::FrontierPanel& frontier, MainWindow& window, ProjectSession& session);

/// A dot was decoded with its settings over those that the run was trained with: they, and what the run's
/// default sampler says of others taken back.
[[nodiscard]] QMap<QString, QString> overDefaultSampler(const ProjectSession& session, const QString& run,
                                                        QMap<QString, QString> settings);

}  // namespace kurve::studio
