#pragma once

#include <QComboBox>
#include <QJsonValue>

namespace kurve::views {

/// Which attention head is shown: their mean, or one. A choice stays for the traces that have that head.
class HeadBox : public QComboBox {
    Q_OBJECT
public:
    HeadBox();
    void offer(int heads);  ///< of a trace; emits nothing. Hidden where there is no choice
    [[nodiscard]] int head() const { return currentIndex() - 1; }  ///< from 0; -1: the mean
    void chooseNext();
    [[nodiscard]] QJsonValue save() const { return wanted_; }
    void restore(const QJsonValue& saved);

private:
    QString wanted_;  ///< of an item
};

}  // namespace kurve::views
