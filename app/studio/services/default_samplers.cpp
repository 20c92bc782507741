#include "app/studio/services/default_samplers.h"

#include "core/store/default_sampler.h"
#include "views/common/form/default_sampler_chip.h"

namespace kurve::studio {

void DefaultSamplers::save(const QString& run, const QMap<QString, QString>& settings) {
    store::SamplerSettings wanted;
    for (auto it = settings.begin(); it != settings.end(); ++it)
        wanted[it.key().toStdString()] = it->toStdString();
    work_.run([folder = project_.runFolder(run.toStdString()),
               wanted] { return store::saveDefaultSampler(folder, wanted); },
              [this, run, settings](const Status& status) {
                  if (!status) return Q_EMIT said(QString::fromStdString(status.error().text()));
                  Q_EMIT saved(run);
                  Q_EMIT said(settings.isEmpty()
                                  ? tr("%1 uses its training sampler settings again.").arg(run)
                                  : tr("Default sampler of %1: %2.").arg(run, views::samplerText(settings)));
              });
}

}  // namespace kurve::studio
