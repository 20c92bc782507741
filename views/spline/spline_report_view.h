#pragma once

#include <QWidget>
#include <vector>

#include "core/curve/spline_model.h"

class QFormLayout;
class QLabel;

namespace kurve::views {

/// The numbers of a spline as a table, with a warning where the map would amplify noise.
class SplineReportView : public QWidget {
    Q_OBJECT
public:
    explicit SplineReportView(QWidget* parent = nullptr);
    void show(const curve::SplinePicture& picture);

private:
    QLabel* addRow(const char* id, const QString& label, const QString& tip);

    QFormLayout* rows_;
    QLabel *shape_, *rank_, *mse_, *words_, *coupling_, *dead_, *gain_, *ratios_, *warning_;
};

}  // namespace kurve::views
