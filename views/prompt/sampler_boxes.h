#pragma once

#include <QMap>
#include <QWidget>
#include <map>
#include <utility>
#include <vector>

#include "core/config/run_config.h"
#include "views/prompt/prompt_request.h"

class QPushButton;
class QSpinBox;

namespace kurve::views {

/// The sampler's numbers in the prompt bar: a box for each that most families have, and the other sampler.*
/// settings that are sent along until they are dropped with the button that then appears. Zero in a box: the
/// run's own number.
class SamplerBoxes : public QWidget {
    Q_OBJECT
public:
    explicit SamplerBoxes(QWidget* parent = nullptr);
    /// Into a request: steps, beams, seed and settings.
    void fill(PromptRequest& request) const;
    /// Numbers and settings of an earlier request; not its seed.
    void restore(const PromptRequest& before);
    /// Into the boxes that there are for them; the rest is sent along.
    void use(const QMap<QString, QString>& settings);
    /// Shows the boxes that the run's family has a setting for; `take`: with the run's own numbers.
    void fit(const RunConfig& config, bool take);
    void clear();  ///< the run's own numbers, once they are known
    void setSeed(int seed);

Q_SIGNALS:
    void changed();

private:
    QSpinBox* add(const char* id, const QString& name, const QString& help, int low, int high);
    [[nodiscard]] std::vector<std::pair<const char*, QSpinBox*>> boxes() const;
    void showFurther();

    std::map<QString, QString> further_;  ///< sampler.* without a box
    QSpinBox *steps_, *lengthBeam_, *noiseBeam_, *beam_, *seed_;
    QPushButton* furtherButton_;
};

}  // namespace kurve::views
