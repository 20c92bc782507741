#pragma once

#include <QJsonObject>
#include <QList>
#include <QWidget>
#include <functional>

#include "core/curve/spline_model.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;

namespace kurve::views {

class NumberControl;

/// The controls of the spline laboratory.
class SplineForm : public QWidget {
    Q_OBJECT
public:
    explicit SplineForm(QWidget* parent = nullptr);
    [[nodiscard]] curve::SplineSettings settings() const;
    void setError(const QString& text);  ///< empty hides it
    void apply(const curve::SplinePreset& preset);
    /// Control points per word and a degree, or (degree 0) kappa; the rest stays.
    void choose(double rho, int degree, double kappa);

    /// All controls, for the next start.
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& saved);  ///< what is not in it stays

Q_SIGNALS:
    void changed();

private:
    void addRow(const QString& label, QWidget* control, const QString& tip);
    void showGiven();
    [[nodiscard]] QList<NumberControl*> numbers() const;
    [[nodiscard]] QList<QWidget*> controls() const;  ///< that are saved
    /// One change() for all of it.
    void changeAtOnce(const std::function<void()>& change);
    void setRules(double rho, int degree, double kappa);

    QFormLayout* rows_;
    QComboBox *presets_, *pointsBy_, *degreeBy_, *knots_;
    NumberControl *words_, *rho_, *points_, *kappa_, *degree_, *margin_, *ridge_;
    QCheckBox* adaptive_;
    QLabel* error_;
};

}  // namespace kurve::views
