#pragma once

#include <QJsonObject>
#include <QWidget>

#include "core/inspect/curve_model.h"
#include "views/common/form/choice_box.h"

class QComboBox;
class QFormLayout;
class QSpinBox;

namespace kurve::views {

/// Chooses the directions of the axes and the points on which they are fitted.
class BasisForm : public QWidget {
    Q_OBJECT
public:
    explicit BasisForm(QWidget* parent = nullptr);
    /// The choice; `step` is that of ThisStep.
    [[nodiscard]] inspect::BasisChoice choice(int step) const;
    /// The tokens that define the directions.
    void setTokens(const QStringList& words);
    /// A second trace is shown: the basis can be fitted on it, on both, or between them.
    void setHasOther(bool on);
    /// The choice uses the second trace.
    [[nodiscard]] bool needsOther() const;
    [[nodiscard]] QString summary() const;
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& saved);

Q_SIGNALS:
    void changed();

private:
    QComboBox* addChoice(const char* id, const QString& label, const BoxChoices& items);
    void updateVisibility();
    [[nodiscard]] inspect::BasisKind kind() const;

    QFormLayout* rows_;
    QComboBox *kind_, *reference_, *of_, *from_, *to_, *up_;
    QSpinBox* seed_;
    bool hasOther_ = false;
};

}  // namespace kurve::views
