#pragma once

#include <QMap>
#include <QWidget>
#include <memory>
#include <utility>
#include <vector>

#include "core/config/run_config.h"
#include "views/common/services/prompt_request.h"

class QLayout;
class QSpinBox;

namespace kurve::views {

class SamplerSettings;

/// The sampler of the prompt bar: a box for each common setting, and below them the other sampler.* settings
/// of these prompts. Zero in a box: the run's setting.
class SamplerBoxes : public QWidget {
    Q_OBJECT
public:
    /// `first`: the widgets at the beginning of the row.
    explicit SamplerBoxes(const std::vector<QWidget*>& first, QWidget* parent = nullptr);
    /// Writes seed and settings into a request.
    void fill(PromptRequest& request) const;
    /// Restores an earlier request, without its seed.
    void restore(const PromptRequest& before);
    /// Shows the sampler of a trace; differences to the run are additional settings.
    void show(const std::map<QString, QString>& settings, std::uint64_t seed);
    /// Sets values in their boxes; the others as additional settings.
    void use(const QMap<QString, QString>& settings);
    /// Shows the boxes of the settings of the run's family, with their ranges; unedited ones take the run's
    /// values.
    void fit(const RunConfig& config, std::shared_ptr<const Schema> schema);
    void clear();  ///< back to the run's settings
    void setSeed(int seed);
    /// The settings that differ from the run's sampler, by key; without the seed.
    [[nodiscard]] QMap<QString, QString> differing() const;
    [[nodiscard]] int seed() const;
    [[nodiscard]] SamplerSettings& settings() { return *settings_; }

Q_SIGNALS:
    void changed();

private:
    QSpinBox* add(const char* id, const QString& name, const QString& help, int low, int high);
    [[nodiscard]] std::vector<std::pair<const char*, QSpinBox*>> boxes() const;

    QLayout* row_;
    QMap<QString, QString> own_;  ///< sampler.* of the run; empty until read
    QSpinBox *steps_, *lengthBeam_, *noiseBeam_, *beam_, *seed_;
    SamplerSettings* settings_;
};

}  // namespace kurve::views
