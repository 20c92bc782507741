#pragma once

#include <QObject>

#include "core/store/project.h"
#include "views/common/data/background.h"
#include "views/common/services/studio.h"

namespace kurve::studio {

/// Saves the default sampler settings of a run (store::saveDefaultSampler) on a worker. GUI
/// thread.
class DefaultSamplers : public QObject, public views::Samplers {
    Q_OBJECT
public:
    DefaultSamplers(store::Project project, QObject* parent = nullptr)
        : QObject(parent), project_(std::move(project)) {}

    void save(const QString& run, const QMap<QString, QString>& settings) override;

Q_SIGNALS:
    void saved(const QString& run);  ///< an engine that has the run loaded still uses the old one
    void said(const QString& text);

private:
    store::Project project_;
    views::Background work_{views::JobKind::Write};
};

}  // namespace kurve::studio
