#pragma once

#include <QJsonObject>
#include <QWidget>
#include <vector>

#include "core/series/smoothing.h"
#include "views/common/form/choice_box.h"

class QPushButton;

namespace kurve::views {

class ChoiceList;
class SmoothingControl;
struct Choice;

/// What all charts of the monitor share: the quantity along x, smoothing, linked zoom, earlier attempts; and
/// the metrics that have no chart yet.
class MonitorBar : public QWidget {
    Q_OBJECT
public:
    explicit MonitorBar(QWidget* parent = nullptr);

    /// What was chosen stays chosen, also while no run offers it.
    void offerAxes(const BoxChoices& axes);
    void offerMetrics(std::vector<Choice> metrics);
    void offerEarlier(bool there);
    [[nodiscard]] QString axis() const;
    [[nodiscard]] series::Smoothing smoothing() const;
    void openChartList();
    [[nodiscard]] bool isLinked() const;
    [[nodiscard]] bool showsEarlier() const;
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& saved);

Q_SIGNALS:
    void axisChanged();
    void smoothingChanged();
    void chartListOpening();  ///< offerMetrics() now
    void linkChanged();
    void earlierChanged();
    void chartWanted(const QString& metric);

private:
    void chooseAxis(const QString& id);

    ChoiceBox* axis_;
    SmoothingControl* smoothing_;
    QPushButton *link_, *earlier_, *add_;
    ChoiceList* metrics_;
    QString shownAxis_;
};

}  // namespace kurve::views
