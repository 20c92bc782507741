#pragma once

#include <QJsonObject>
#include <QWidget>

#include "views/curve/curve_model.h"

class QComboBox;
class QFormLayout;
class QSpinBox;

namespace kurve::views {

/// Chooses the directions of the picture and what they are fitted on.
class BasisForm : public QWidget {
    Q_OBJECT
public:
    explicit BasisForm(QWidget* parent = nullptr);
    /// The choice; ThisStep takes the step given here.
    [[nodiscard]] BasisChoice choice(int step) const;
    /// The words that a direction may run through.
    void setWords(const QStringList& words);
    /// A second recording is shown: the basis may be fitted on it, on both, or between them.
    void setHasOther(bool on);
    /// The choice is about both recordings.
    [[nodiscard]] bool needsOther() const;
    [[nodiscard]] QString summary() const;
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& kept);

Q_SIGNALS:
    void changed();

private:
    QComboBox* addChoice(const char* id, const QString& label, const QStringList& items);
    void showNeeded();
    [[nodiscard]] BasisKind kind() const;

    QFormLayout* rows_;
    QComboBox *kind_, *reference_, *of_, *from_, *to_, *beside_;
    QSpinBox* seed_;
    bool hasOther_ = false;
};

}  // namespace kurve::views
