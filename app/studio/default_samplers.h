#pragma once

#include <QMap>
#include <QObject>

#include "core/store/project.h"
#include "views/common/background.h"

namespace kurve::studio {

/// Saves the default sampler settings of a run (store::saveDefaultSampler) on a worker. GUI
/// thread.
class DefaultSamplers : public QObject {
    Q_OBJECT
public:
    DefaultSamplers(store::Project project, QObject* parent = nullptr)
        : QObject(parent), project_(std::move(project)) {}

public Q_SLOTS:
    /// `settings`: sampler.* as texts; none: the run's own.
    void save(const QString& run, const QMap<QString, QString>& settings);

Q_SIGNALS:
    void saved(const QString& run);  ///< an engine that has the run loaded still uses the old one
    void said(const QString& text);

private:
    store::Project project_;
    views::Background work_;
};

}  // namespace kurve::studio
