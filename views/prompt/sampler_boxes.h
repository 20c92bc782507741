#pragma once

#include <QMap>
#include <QWidget>
#include <memory>
#include <utility>
#include <vector>

#include "core/config/run_config.h"
#include "views/prompt/prompt_request.h"

class QLayout;
class QSpinBox;

namespace kurve::views {

class SamplerSettings;

/// The sampler in the prompt bar: a box for each number that most families have, and below them the other
/// sampler.* settings that are set for these prompts. Zero in a box: the run's own number.
class SamplerBoxes : public QWidget {
    Q_OBJECT
public:
    /// `first` stands at the head of the row.
    explicit SamplerBoxes(const std::vector<QWidget*>& first, QWidget* parent = nullptr);
    /// Into a request: steps, beams, seed and settings.
    void fill(PromptRequest& request) const;
    /// Numbers and settings of an earlier request; not its seed.
    void restore(const PromptRequest& before);
    /// The sampler of a recording, all of it: what the run's own does not say stands as a setting.
    void show(const std::map<QString, QString>& settings, std::uint64_t seed);
    /// Into the boxes that there are for them; the rest as settings.
    void use(const QMap<QString, QString>& settings);
    /// Shows the boxes that the run's family has a setting for, with its ranges; those that stand at zero, or
    /// at what `config` said before, take the run's own numbers.
    void fit(const RunConfig& config, std::shared_ptr<const Schema> schema);
    void clear();  ///< the run's own numbers, once they are known
    void setSeed(int seed);
    /// Nothing differs from the run's own sampler.
    [[nodiscard]] bool isOwn() const;
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
