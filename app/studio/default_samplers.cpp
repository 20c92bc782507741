#include "app/studio/default_samplers.h"

#include "core/store/default_sampler.h"
#include "views/common/default_sampler_chip.h"

namespace kurve::studio {

void DefaultSamplers::keep(const QString& run, const QMap<QString, QString>& settings) {
    store::SamplerSettings wanted;
    for (auto it = settings.begin(); it != settings.end(); ++it)
        wanted[it.key().toStdString()] = it->toStdString();
    work_.run([folder = project_.runFolder(run.toStdString()),
               wanted] { return store::saveDefaultSampler(folder, wanted); },
              [this, run, settings](const Status& status) {
                  if (!status) return Q_EMIT said(QString::fromStdString(status.error().text()));
                  Q_EMIT kept(run);
                  Q_EMIT said(
                      settings.isEmpty()
                          ? tr("%1 decodes with its own settings again.").arg(run)
                          : tr("%1 decodes with %2 from now on, here and with kurve sample, trace and eval.")
                                .arg(run, views::samplerText(settings)));
              });
}

}  // namespace kurve::studio
