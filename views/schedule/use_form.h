#pragma once

#include <QJsonObject>
#include <QList>
#include <QWidget>

#include "core/schedule/drawn_schedule.h"
#include "core/schedule/schedule_curves.h"
#include "views/common/form/saved_choice.h"

class QComboBox;
class QFormLayout;
class QLineEdit;

namespace kurve::views {

class NumberControl;

/// Of schedule::Spacing, as in the setting sampler.spacing.
inline constexpr ChoiceIds<3> kSpacingIds{"time", "log-snr", "rho7"};

/// How training draws and weighs, how sampling steps, and what is held while p(log-SNR) is dragged.
class UseForm : public QWidget {
    Q_OBJECT
public:
    explicit UseForm(QWidget* parent = nullptr);
    [[nodiscard]] const schedule::ScheduleUse& use() const { return use_; }
    [[nodiscard]] schedule::Hold hold() const;
    void setTimes(const schedule::TimeDensity& times);           ///< emits nothing
    void setWeightPoints(const schedule::WeightPoints& points);  ///< emits nothing
    /// For the next session; what cannot be read stays as it is. Emits nothing.
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& saved);
    void setDrawable(bool on);  ///< A has points: the switch means something
    void setMasking(bool on);

Q_SIGNALS:
    void changed();                         ///< weight, steps or spacing
    void problem(const QString& text);      ///< points of a weight that cannot be read
    void timesChanged(const QString& tag);  ///< p(t): a step that can be undone
    void weightPointsChanged();             ///< likewise

private:
    void buildTraining(QFormLayout* form);
    void buildSampling(QFormLayout* form);
    [[nodiscard]] QList<QWidget*> controls() const;           ///< that are saved
    [[nodiscard]] schedule::TimeDensity chosenTimes() const;  ///< without points
    void takeTimes();
    void takeWeightPoints();
    void showParts();

    schedule::ScheduleUse use_;
    QFormLayout* form_;
    QComboBox *times_, *weight_, *spacing_, *hold_;
    QLineEdit* weightPoints_;
    NumberControl *mean_, *deviation_, *limit_, *steps_, *tokens_;
    bool filling_ = false, masking_ = false;
};

}  // namespace kurve::views
