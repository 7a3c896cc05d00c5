#pragma once
// The parts of Linux that Swift's Glibc module leaves out.
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timex.h>
