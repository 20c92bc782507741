#pragma once

#include <QCoreApplication>
#include <QMetaObject>
#include <QThreadPool>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include "core/base/cancel_token.h"

namespace kurve::views {

/// In increasing priority. A Write is carried out even if its owner is gone; the others are left out then.
enum class JobKind : unsigned char { Later, Shown, Write };

/// Work for a pool thread whose result comes back to the GUI thread, unless its owner was destroyed or
/// requested something newer: then the work is asked to stop. A member of the panel that owns it; GUI thread
/// only.
class Background {
public:
    explicit Background(JobKind kind = JobKind::Shown) : kind_(kind) {}
    ~Background() { drop(); }
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;
    /// work(cancel), or work(), runs on a pool thread and must not touch the owner; done(result) runs on the
    /// GUI thread. What work() throws is thrown there instead.
    template <class Work, class Done>
    void run(Work work, Done done) {
        drop();
        job_ = Job();
        QThreadPool::globalInstance()->start(
            [job = job_, keep = kind_ == JobKind::Write, work = std::move(work), done]() mutable {
                if (job.dropped.requested() && !keep) return;
                std::shared_ptr<decltype(call(work, job.cancel))> result;
                std::exception_ptr thrown;
                try {
                    result = std::make_shared<decltype(call(work, job.cancel))>(call(work, job.cancel));
                } catch (...) {
                    thrown = std::current_exception();
                }
                QMetaObject::invokeMethod(
                    QCoreApplication::instance(),
                    [dropped = job.dropped, result, thrown, done] {
                        if (thrown) std::rethrow_exception(thrown);
                        if (!dropped.requested()) done(std::move(*result));
                    },
                    Qt::QueuedConnection);
            },
            static_cast<int>(kind_));
    }
    /// Asks the running work to stop; its result comes back.
    void cancel() { job_.cancel.request(); }
    /// Discards the result of the running work, and asks it to stop unless it is a Write.
    void drop() {
        job_.dropped.request();
        if (kind_ != JobKind::Write) cancel();
    }

private:
    struct Job {
        CancelToken cancel, dropped;
    };
    template <class Work>
    static auto call(Work& work, const CancelToken& cancel) {
        if constexpr (std::is_invocable_v<Work&, const CancelToken&>)
            return work(cancel);
        else
            return work();
    }

    const JobKind kind_;
    Job job_;
};

}  // namespace kurve::views
