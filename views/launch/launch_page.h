#pragma once

#include <QWidget>

class QVBoxLayout;

namespace kurve::views {

class LaunchFoot;
class LaunchHead;
class SettingsForm;

/// Head, settings and foot below each other. Where the height is low, the head and the details of the foot
/// scroll with the settings, so that the buttons stay visible. GUI thread.
class LaunchPage : public QWidget {
    Q_OBJECT
public:
    LaunchPage(LaunchHead* head, SettingsForm* form, LaunchFoot* foot);  ///< takes them

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange(bool low);
    void scrollTo(QWidget* detail);

    LaunchHead* head_;
    SettingsForm* form_;
    LaunchFoot* foot_;
    QVBoxLayout* layout_;
    bool low_ = false;
};

}  // namespace kurve::views
